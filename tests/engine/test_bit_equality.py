"""The same bits whatever the cutting, the recording, the order of bodies, compiled or not."""
