/**
 * State of a storage. `away`: it cannot be reached, refuses or does not answer. `full`: it has no space for
 * new data.
 */
export type Availability = 'available' | 'away' | 'full'
