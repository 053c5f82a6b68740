import { EngineError } from '../../shared/errors.ts'
import type { ReleaseManifest } from '../release/layout.ts'

interface ReleaseNumber {
  readonly major: number
  readonly minor: number
}

/**
 * Returns the number of the new release: the given number, or the next major number.
 * @throws EngineError bad_input for a malformed number
 */
export function nextNumber(
  given: string | undefined,
  last: ReleaseManifest['version'] | undefined,
): ReleaseNumber {
  if (given === undefined) return { major: (last?.major ?? 0) + 1, minor: 0 }
  const parts = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(given)
  if (!parts) {
    throw new EngineError(
      'bad_input',
      `release "${given.slice(0, 80)}" is no number; give one like 32.0`,
      { at: 'release' },
    )
  }
  return { major: Number(parts[1]), minor: Number(parts[2] ?? 0) }
}

export const numberText = ({ major, minor }: ReleaseNumber) => `${major}.${minor}`
