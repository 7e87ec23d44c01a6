"""The Python API behind `import hloscope`."""
