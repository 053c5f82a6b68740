import type { Hit } from '../../render/hit.ts'
import { RELATED_GROUPS } from '../records/listed-files.ts'
import type { KnownFiles } from './chain.ts'
import type { VersionStep } from './step.ts'

const OWN_FIELDS = ['file_id', 'file_name', 'md5sum', 'file_size', 'state'] as const

/** Fields of a file's record that describe its version. */
export const VERSION_FIELDS = [...OWN_FIELDS, 'version', 'data_release'] as const

/** Fields for the related files that a record lists. These files have the versions of the record. */
export const LISTED_FIELDS = [
  'version',
  'data_release',
  ...RELATED_GROUPS.flatMap((group) => OWN_FIELDS.map((name) => `${group}.${name}`)),
]

/** Facts about one version of a file. Null if no source has them. */
export interface VersionFacts {
  readonly id: string
  readonly filename: string | null
  readonly version: string | null
  readonly md5: string | null
  /** Size in bytes. */
  readonly size: number | null
  readonly state: string | null
  /** First and last release that contain this version, such as `32.0 - 37.0`, or a single release. */
  readonly dataRelease: string | undefined
}

/** State of versions for which none is stated, since only a released file can be replaced. */
const STATE = 'released'

/** Returns the facts of a file with a record. */
export function factsOfRecord(record: Hit): VersionFacts {
  const text = (name: string) => (record[name] === undefined ? null : (record[name] as string))
  return {
    id: String(record.file_id),
    filename: text('file_name'),
    version: text('version'),
    md5: text('md5sum'),
    size: (record.file_size as number | undefined) ?? null,
    state: text('state'),
    dataRelease: text('data_release') ?? undefined,
  }
}

/** Returns the properties of a file that has no record of its own but is listed in the given one. */
export function factsOfListed(id: string, record: Hit): VersionFacts {
  const listed = RELATED_GROUPS.flatMap((group) => record[group] ?? []) as Hit[]
  const own = listed.find(({ file_id: one }) => String(one).toLowerCase() === id)
  const { version, data_release } = record
  return factsOfRecord({ file_id: id, ...own, version, data_release })
}

/** Returns the properties of a file that was replaced, or that only a step mentions. */
export function factsOfStep(id: string, known: Pick<KnownFiles, 'before' | 'step'>): VersionFacts {
  const before = known.before(id)
  const named = before[0]?.next
  const own = known.step(id)
  return {
    id: own?.id ?? named?.id ?? id,
    filename: own?.filename ?? named?.filename ?? null,
    version: own?.version ?? versionAfter(before),
    md5: own?.md5 ?? named?.md5 ?? null,
    size: own?.size ?? named?.size ?? null,
    state: own?.state ?? STATE,
    // A version first appears in the release in which it replaces another version.
    dataRelease: own?.data_release ?? before.find(({ release }) => release !== undefined)?.release,
  }
}

function versionAfter(before: readonly VersionStep[]): string {
  const numbers = before.map(({ version }) => Number(version ?? 1))
  return String(1 + Math.max(0, ...numbers.filter(Number.isFinite)))
}
