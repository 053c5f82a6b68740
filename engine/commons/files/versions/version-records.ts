import { firstRelease, releasesIn } from '../../release/known-releases.ts'
import type { KnownRelease } from '../../release/layout.ts'
import { type KnownFiles, type VersionChain, versionsOn } from './chain.ts'
import type { VersionFacts } from './version-facts.ts'

/** A version in the history of a file (data-commons-service.md 2.2). */
export interface HistoryRecord {
  readonly uuid: string
  readonly version: string | null
  readonly file_change: 'superseded' | 'released' | 'redacted'
  /** Date as YYYY-MM-DD. Null if the release is not known here. */
  readonly release_date: string | null
  /** Release in which this version appeared. Null if unknown. */
  readonly data_release: string | null
}

/** A version of a file, together with the latest one (data-commons-service.md 2.2). Null means unknown. */
export interface VersionRecord {
  readonly id: string
  readonly filename: string | null
  readonly version: string | null
  readonly md5: string | null
  readonly size: number | null
  readonly state: string | null
  /** Release in which this version appeared. */
  readonly release: string | null
  readonly latest_id: string | null
  readonly latest_filename: string | null
  readonly latest_version: string | null
  readonly latest_md5: string | null
  readonly latest_size: number | null
  readonly latest_state: string | null
  /** All releases that have the latest version. */
  readonly latest_release: readonly string[]
}

export interface Telling {
  readonly known: KnownFiles
  readonly releases: readonly KnownRelease[]
  facts(id: string): VersionFacts
}

/** Returns all versions on a chain, ordered by version. */
export function historyOf(chain: VersionChain, telling: Telling): HistoryRecord[] {
  const { known, releases } = telling
  const latest = latestOn(chain, known)
  const reported = versionsOn(chain, known).map((id) => {
    const { id: uuid, version, state, dataRelease } = telling.facts(id)
    const entered = firstRelease(dataRelease) ?? null
    return {
      uuid,
      version,
      file_change: changeOf(state, id === latest),
      release_date: releases.find(({ number }) => number === entered)?.date ?? null,
      data_release: entered,
    }
  })
  return reported.sort((a, b) => Number(a.version) - Number(b.version) || 0)
}

function changeOf(state: string | null, isLatest: boolean): HistoryRecord['file_change'] {
  if (isLatest) return 'released'
  // Withdrawn from later releases by an administrator (data-commons.md 11.38).
  return state === 'redacted' ? 'redacted' : 'superseded'
}

/** Returns the latest version on a chain, or undefined if files form a cycle or were withdrawn. */
export function latestOn({ end }: VersionChain, known: KnownFiles): string | undefined {
  if (end === undefined || known.isRecord(end) || !known.step(end)) return end
  return undefined
}

/** Returns the version with an id, together with the latest version on its chain. */
export function versionOf(id: string, chain: VersionChain, telling: Telling): VersionRecord {
  const own = telling.facts(id)
  const end = latestOn(chain, telling.known)
  const latest = end === undefined ? undefined : telling.facts(end)
  return {
    id: own.id,
    filename: own.filename,
    version: own.version,
    md5: own.md5,
    size: own.size,
    state: own.state,
    release: firstRelease(own.dataRelease) ?? null,
    latest_id: latest?.id ?? null,
    latest_filename: latest?.filename ?? null,
    latest_version: latest?.version ?? null,
    latest_md5: latest?.md5 ?? null,
    latest_size: latest?.size ?? null,
    latest_state: latest?.state ?? null,
    latest_release: releasesIn(latest?.dataRelease, telling.releases),
  }
}
