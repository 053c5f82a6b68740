interface Listed {
  readonly name: string
  readonly weight: number
}

/**
 * Parses an `Accept` or `Accept-Encoding` header, most preferred first. Members of equal weight keep their
 * order, and rejected members (weight 0) come last. Never throws: an invalid weight counts as 1.
 * @example listedPreferences('gzip;q=0.5, br') // [{ name: 'br', weight: 1 }, { name: 'gzip', weight: 0.5 }]
 */
export function listedPreferences(header: string | null): readonly Listed[] {
  const members = (header ?? '').toLowerCase().split(',')
  return members
    .map((member): Listed => {
      const [name = '', ...parameters] = member.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { name, weight: weight === undefined ? 1 : weightOf(weight) }
    })
    .filter(({ name }) => name !== '')
    .sort((a, b) => b.weight - a.weight)
}

function weightOf(text: string): number {
  const weight = Number(text)
  return weight >= 0 && weight <= 1 ? weight : 1
}

export type Coding = 'zstd' | 'br' | 'gzip' | 'identity'

/** Codings by how well they compress JSON, best first, which decides ties. The first is also the fastest. */
const CODINGS = ['zstd', 'br', 'gzip'] as const

/**
 * Returns the content coding for a response. If the client names no known coding, the response is not coded,
 * even if the client rejects that, because it is better than no response (data-commons.md 2.1).
 */
export function preferredCoding(acceptEncoding: string | null): Coding {
  const listed = listedPreferences(acceptEncoding)
  const weightFor = (coding: string) => listed.find(({ name }) => name === coding)?.weight
  const rest = weightFor('*') ?? 0
  let best: Coding = 'identity'
  let most = Math.max(weightFor('identity') ?? 0, Number.MIN_VALUE)
  for (const coding of CODINGS) {
    const weight = weightFor(coding) ?? rest
    const isBetter = best === 'identity' ? weight >= most : weight > most
    if (!isBetter) continue
    best = coding
    most = weight
  }
  return best
}
