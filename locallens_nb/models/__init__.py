"""Adapters to embedding and chat models: the only modules that run one."""
