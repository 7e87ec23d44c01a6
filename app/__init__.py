"""The hloscope server: pages, API and command line around the engine."""
