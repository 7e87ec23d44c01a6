"""What every room uses: settings, errors, logs, cache keys and limits of this machine."""
