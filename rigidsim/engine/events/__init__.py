"""What changes the motion at an instant: guards, the search for instants, what happens there, the event buffer."""
