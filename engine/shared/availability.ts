/** State of a storage. `away`: cannot be reached, refuses or does not answer. `full`: no space for new data. */
export type Availability = 'available' | 'away' | 'full'
