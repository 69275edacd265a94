"""The pages: functions from what is known of studies to HTML."""
