/**
 * Event that ends a donor's time. `overall`: death. `progression-free`: progression, recurrence or death, whichever is
 * first. `time-to-progression`: progression or recurrence; donors who died before are censored.
 */
export type SurvivalEndpoint = 'overall' | 'progression-free' | 'time-to-progression'

export const SURVIVAL_ENDPOINTS = Object.freeze([
  'overall',
  'progression-free',
  'time-to-progression',
] as const satisfies readonly SurvivalEndpoint[])
