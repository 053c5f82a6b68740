import type { MatrixCase } from '../../analysis/expression/matrix-format.ts'
import type { Release } from '../../release/release.ts'
import { nameIn } from '../cells.ts'
import { eachDocument, rowsNamed } from './release-records.ts'
import {
  type CaseFacts,
  caseFacts,
  type FileFacts,
  fileFacts,
  type SampleFacts,
} from './sample-facts.ts'
import { compareSamples, type Standing, standingOfBarcode } from './sample-rule.ts'

/** Owner of the values in a file or column. */
export interface Owner {
  readonly caseId: string
  readonly sample: string | null
  readonly standing: Standing | undefined
  readonly file: FileFacts | undefined
}

/** Reason why a file or column has no owner. */
export type NoOwner = 'noCase' | 'severalCases'

/** Files and columns to find the owners of. */
interface OwnersWanted {
  /** Files of one sample, with the names of their file and folder. */
  readonly files: readonly { readonly name: string; readonly folder: string }[]
  /** Names of columns. */
  readonly columns: readonly string[]
  /** Columns of the existing matrix. */
  readonly stored: readonly MatrixCase[]
}

const CASE_NAMES = [
  'case_id',
  'submitter_id',
  'sample_ids',
  'submitter_sample_ids',
  'aliquot_ids',
  'submitter_aliquot_ids',
]

/** Finds the owners of files and columns in the records of a release. */
export class Owners {
  readonly #files: ReadonlyMap<string, readonly FileFacts[]>
  readonly #cases: ReadonlyMap<string, readonly CaseFacts[]>

  private constructor(
    files: ReadonlyMap<string, readonly FileFacts[]>,
    cases: ReadonlyMap<string, readonly CaseFacts[]>,
  ) {
    this.#files = files
    this.#cases = cases
  }

  /** Looks up all files and columns in one pass over the release. */
  static async find(
    release: Release,
    { files, columns: given, stored }: OwnersWanted,
  ): Promise<Owners> {
    const columns = given.map(nameIn)
    const fileIds = [
      ...files.map(({ folder }) => folder),
      ...columns,
      ...stored.flatMap(({ fileId }) => fileId ?? []),
    ]
    const fileNames = files.map(({ name }) => name)
    const fileRows = [
      await rowsNamed(release, 'files', 'file_id', new Set(fileIds)),
      await rowsNamed(release, 'files', 'file_name', new Set(fileNames)),
    ]
    const foundFiles = await factsOf(release, 'files', fileRows, fileFacts)
    const names = new Set(columns.flatMap(beginnings))
    for (const { caseId } of stored) names.add(caseId)
    for (const facts of foundFiles.values()) {
      for (const { caseIds } of facts) for (const id of caseIds) names.add(id)
    }
    const caseRows = []
    for (const field of CASE_NAMES) caseRows.push(await rowsNamed(release, 'cases', field, names))
    return new Owners(foundFiles, await factsOf(release, 'cases', caseRows, caseFacts))
  }

  /**
   * Returns the owner of a file: by its folder, which download clients name by the file id, or otherwise by its
   * exact name.
   */
  ofFile({ name, folder }: { readonly name: string; readonly folder: string }): Owner | NoOwner {
    const byId = this.#files.get(folder.toLowerCase())?.find(({ fileId }) => {
      return fileId === folder.toLowerCase()
    })
    if (byId) return this.#ofRecord(byId)
    const byName = this.#files.get(name.toLowerCase())?.filter(({ fileName }) => fileName === name)
    const [only] = byName ?? []
    if (!only) return 'noCase'
    return byName?.length === 1 ? this.#ofRecord(only) : 'severalCases'
  }

  /**
   * Returns the owner of a column. The column is named after a file, case, sample or aliquot, or its name starts
   * with such a name. R writes dots instead of the hyphens in barcodes.
   */
  ofColumn(given: string): Owner | NoOwner {
    const column = nameIn(given)
    const name = column.toLowerCase()
    const file = this.#files.get(name)?.find(({ fileId }) => fileId === name)
    if (file) return this.#ofRecord(file)
    for (const beginning of beginnings(name)) {
      const [found, ...others] = this.#cases.get(beginning) ?? []
      if (!found) continue
      if (others.length > 0) return 'severalCases'
      const sample = sampleIn(found, beginning)
      // A name that equals the case's does not identify a sample.
      const isCase = !sample && beginning === name
      const standing = sample?.standing ?? standingOfBarcode(column)
      return { caseId: found.caseId, sample: isCase ? null : column, standing, file: undefined }
    }
    return 'noCase'
  }

  /** Returns the kind of tissue of a stored column's sample. */
  standingOf({ caseId, sample, fileId }: MatrixCase): Standing | undefined {
    const [file] = fileId === null ? [] : (this.#files.get(fileId) ?? [])
    const byFile = file && this.#ofRecord(file)
    if (byFile && typeof byFile === 'object') return byFile.standing
    if (sample === null) return undefined
    return this.#sampleOf(caseId, [sample.toLowerCase()])?.standing ?? standingOfBarcode(sample)
  }

  #ofRecord(file: FileFacts): Owner | NoOwner {
    const [caseId, ...others] = file.caseIds
    if (caseId === undefined) return 'noCase'
    if (others.length > 0) return 'severalCases'
    const named = file.samples.map((sample): Owner => {
      const standing = sample.standing ?? this.#sampleOf(caseId, sample.names)?.standing
      const name = sample.name ?? null
      const ofName = name === null ? undefined : standingOfBarcode(name)
      return { caseId, sample: name, standing: standing ?? ofName, file }
    })
    const byEntity = file.entities.map((name): Owner => {
      const sample = this.#sampleOf(caseId, beginnings(name.toLowerCase()))
      const standing = sample?.standing ?? standingOfBarcode(name)
      return { caseId, sample: name, standing, file }
    })
    // Aliquots named beside a sample are more specific.
    const [best] = byEntity.length > 0 ? byEntity.sort(tumourFirst) : named.sort(tumourFirst)
    const standing = best?.standing ?? named.sort(tumourFirst)[0]?.standing
    return best ? { ...best, standing } : { caseId, sample: null, standing: undefined, file }
  }

  #sampleOf(caseId: string, names: readonly string[]): SampleFacts | undefined {
    const found = this.#cases.get(caseId)?.find((each) => each.caseId === caseId)
    for (const name of found ? names : []) {
      const sample = found && sampleIn(found, name)
      if (sample) return sample
    }
    return undefined
  }
}

const tumourFirst = (a: Owner, b: Owner) =>
  Number(a.standing === 'normal') - Number(b.standing === 'normal') || compareSamples(a, b)

const sampleIn = ({ samples }: CaseFacts, name: string) =>
  samples.find(({ names }) => names.includes(name))

/** Returns a name and its prefixes up to each hyphen, longest first. */
function beginnings(name: string): readonly string[] {
  const cut = [name]
  for (let at = name.lastIndexOf('-'); at > 0; at = name.lastIndexOf('-', at - 1)) {
    cut.push(name.slice(0, at))
  }
  return cut
}

/** Returns the facts of records, keyed by the names by which they were found. */
async function factsOf<Facts>(
  release: Release,
  dataset: 'cases' | 'files',
  found: readonly ReadonlyMap<string, readonly number[]>[],
  make: (document: Parameters<typeof fileFacts>[0]) => Facts,
): Promise<Map<string, readonly Facts[]>> {
  const rowsOf = new Map<string, Set<number>>()
  for (const [name, rows] of found.flatMap((each) => [...each])) {
    rowsOf.set(name, new Set([...(rowsOf.get(name) ?? []), ...rows]))
  }
  const facts = new Map<number, Facts>()
  const visit = (document: Parameters<typeof fileFacts>[0], row: number) =>
    void facts.set(row, make(document))
  await eachDocument(
    release,
    dataset,
    visit,
    [...rowsOf.values()].flatMap((rows) => [...rows]),
  )
  return new Map(
    [...rowsOf].map(([name, rows]) => [name, [...rows].flatMap((row) => facts.get(row) ?? [])]),
  )
}
