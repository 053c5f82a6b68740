/** Of jobs of background work: behind everything that a request waits for. */
export const BACKGROUND_PRIORITY = 9
