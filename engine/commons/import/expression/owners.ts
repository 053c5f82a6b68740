import type { MatrixCase } from '../../analysis/expression/matrix-format.ts'
import type { Release } from '../../release/release.ts'
import { eachDocument, rowsNamed } from './release-records.ts'
import {
  type CaseFacts,
  caseFacts,
  type FileFacts,
  fileFacts,
  type SampleFacts,
} from './sample-facts.ts'
import { compareSamples, type Standing, standingOfBarcode } from './sample-rule.ts'

/** Whose values a file or a column holds. */
export interface Owner {
  readonly caseId: string
  readonly sample: string | null
  readonly standing: Standing | undefined
  readonly file: FileFacts | undefined
}

/** Why there is none. */
export type NoOwner = 'noCase' | 'severalCases'

/** What is to be found out. */
export interface OwnersWanted {
  /** Files of one sample: the names of file and folder. */
  readonly files: readonly { readonly name: string; readonly folder: string }[]
  /** Names of columns. */
  readonly columns: readonly string[]
  /** Columns of the matrix that is there. */
  readonly stored: readonly MatrixCase[]
}

const CASE_NAMES = [
  ...['case_id', 'submitter_id', 'sample_ids', 'submitter_sample_ids', 'aliquot_ids'],
  'submitter_aliquot_ids',
]

/** Finds whose values files and columns hold, by the records of a release. */
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

  /** Looks all that is wanted up in one go. */
  static async find(release: Release, { files, columns, stored }: OwnersWanted): Promise<Owners> {
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

  /** A file is found by the folder it is in, as download clients leave it, else by its exact name. */
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

  /** A column is named by a file, a case, a sample or an aliquot, or by what begins with one. */
  ofColumn(column: string): Owner | NoOwner {
    const name = column.toLowerCase()
    const file = this.#files.get(name)?.find(({ fileId }) => fileId === name)
    if (file) return this.#ofRecord(file)
    for (const beginning of beginnings(name)) {
      const [found, ...others] = this.#cases.get(beginning) ?? []
      if (!found) continue
      if (others.length > 0) return 'severalCases'
      const sample = sampleIn(found, beginning)
      // A name that is the whole case's says nothing of a sample.
      const isCase = !sample && beginning === name
      const standing = sample?.standing ?? standingOfBarcode(column)
      return { caseId: found.caseId, sample: isCase ? null : column, standing, file: undefined }
    }
    return 'noCase'
  }

  /** What the sample of a stored column is of. */
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
    // Aliquots that are named beside a sample say more exactly what it is of.
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

/** A name and what it begins with, cut at its hyphens, longest first. */
function beginnings(name: string): readonly string[] {
  const cut = [name]
  for (let at = name.lastIndexOf('-'); at > 0; at = name.lastIndexOf('-', at - 1)) {
    cut.push(name.slice(0, at))
  }
  return cut
}

/** Facts of the records by the names that led to them. */
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
