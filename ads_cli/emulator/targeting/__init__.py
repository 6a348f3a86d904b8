"""What ads can be targeted by in the emulator's world."""
