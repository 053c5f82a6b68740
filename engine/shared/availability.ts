/** Away: it cannot be reached, refuses or does not answer. Full: it has no space for what is new. */
export type Availability = 'available' | 'away' | 'full'
