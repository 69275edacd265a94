"""The version of rembo, which the build reads from here: it is known without an installation, too."""

__version__ = "0.1.0"
