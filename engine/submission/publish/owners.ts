import { LISTING_KEYS, rowsListing } from '../../commons/files/records/listed-files.ts'
import { arraysOf } from '../../commons/release/arrays.ts'
import { DocumentReader } from '../../commons/release/documents.ts'
import { Release } from '../../commons/release/release.ts'
import { isObject, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'

/** Datasets whose records have the ids of submitted entities. */
export type OwnedDataset = 'annotations' | 'cases' | 'files'

/** Finds the projects of the records in a release. */
export class Owners {
  readonly #release: Release | undefined

  private constructor(release: Release | undefined) {
    this.#release = release
  }

  /**
   * Opens a release.
   * @param folder folder of the release; if undefined, no record has an owner
   * @throws EngineError `corrupt_source` if the release is damaged
   */
  static async open(folder: string | undefined): Promise<Owners> {
    return new Owners(folder === undefined ? undefined : await Release.open(folder))
  }

  /**
   * Returns the projects of records, keyed by record id. Unknown ids are left out. The list is empty for a
   * record without a project. A file that other files list also belongs to the projects of these.
   */
  async of(
    dataset: OwnedDataset,
    ids: Iterable<string>,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.#rows(dataset, [...ids])
    const documents = await this.#read(dataset, new Set([...rows.values()].flat()))
    const caseIds = new Set([...documents.values()].flatMap(casesOf))
    const isCase = dataset === 'cases' || caseIds.size === 0
    const byCase = isCase ? new Map<string, string[]>() : await this.of('cases', caseIds)
    const projectsOf = (document: JsonObject): readonly string[] => {
      const own = isObject(document.project) ? textIn(document.project.project_id) : undefined
      if (own !== undefined) return [own]
      return casesOf(document).flatMap((id) => byCase.get(id) ?? [])
    }
    const found = (row: number) => projectsOf(documents.get(row) ?? {})
    return new Map(Array.from(rows, ([id, some]) => [id, [...new Set(some.flatMap(found))]]))
  }

  async #rows(
    dataset: OwnedDataset,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly number[]>> {
    const release = this.#release
    if (!release) return new Map()
    const listing =
      dataset === 'files' ? rowsListing(ids, arraysOf(await release.load(LISTING_KEYS))) : new Map()
    const rows = new Map<string, readonly number[]>(listing)
    for (const id of ids) {
      const own = await release.find(dataset, id)
      if (own !== undefined) rows.set(id, [own, ...(rows.get(id) ?? [])])
    }
    return rows
  }

  async #read(
    dataset: OwnedDataset,
    wanted: ReadonlySet<number>,
  ): Promise<ReadonlyMap<number, JsonObject>> {
    if (!this.#release || wanted.size === 0) return new Map()
    const reader = new DocumentReader(await this.#release.documents(dataset))
    const rows = Uint32Array.from(wanted).sort()
    return new Map(reader.read(rows).map((text, i) => [rows[i] ?? 0, JSON.parse(text)]))
  }

  async close(): Promise<void> {
    await this.#release?.close()
  }
}

function casesOf({ case_id: id, cases }: JsonObject): readonly string[] {
  return [id, ...objectsIn(cases).map((one) => one.case_id)].flatMap((one) => textIn(one) ?? [])
}
