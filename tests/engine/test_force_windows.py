"""Forces that act for a while: edges on and off the grid."""
