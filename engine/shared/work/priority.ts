/** Priority of jobs of background tasks: after everything that a request waits for. */
export const BACKGROUND_PRIORITY = 9
