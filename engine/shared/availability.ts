/**
 * State of a storage. `away`: cannot be reached, refuses connections or does not answer. `full`: can be read, but
 * has no space for new data.
 */
export type Availability = 'available' | 'away' | 'full'
