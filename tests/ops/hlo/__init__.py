"""Ops of HLO text that StableHLO does not have."""
