"""Sixty standard requests: is what they are recommended priced as others price it, and on how many facts from memory does it rest?"""
