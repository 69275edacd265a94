"""The version of rembo, which the build reads from here: it is known without an installation, too."""

VERSION = "0.1.0"
