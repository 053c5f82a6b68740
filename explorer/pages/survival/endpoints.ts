/** Events that end a time, with the words of the page. */
export const ENDPOINTS = [
  {
    name: 'overall',
    title: 'Overall survival',
    event: 'Deaths',
    method: '',
  },
  {
    name: 'progression-free',
    title: 'Progression-free survival',
    event: 'Events',
    method:
      'The event is the first progression, recurrence or death. Cases with a progression on an unknown day are left out; cases without one count as free of it.',
  },
  {
    name: 'time-to-progression',
    title: 'Time to progression',
    event: 'Progressions',
    method:
      'The event is the first progression or recurrence; deaths before it are censored. Cases with a progression on an unknown day are left out; cases without one count as free of it.',
  },
] as const

export type Endpoint = (typeof ENDPOINTS)[number]

/** Returns the endpoint that the address names, by default overall survival. */
export const endpointOf = (query: ReadonlyMap<string, string>): Endpoint =>
  ENDPOINTS.find(({ name }) => name === query.get('endpoint')) ?? ENDPOINTS[0]
