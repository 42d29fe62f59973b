"""Installs Warpcourt on hosts, and audits hosts."""
