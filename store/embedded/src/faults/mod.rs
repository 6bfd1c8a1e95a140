//! What happens when the disk lies, fills up or breaks.
