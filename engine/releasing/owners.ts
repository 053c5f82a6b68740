import { isObject, type JsonObject, textIn } from '../import/json-value.ts'
import { DocumentReader } from '../release/documents.ts'
import { Release } from '../release/release.ts'

/** Tells which project a record of a release belongs to. */
export class Owners {
  readonly #release: Release | undefined

  private constructor(release: Release | undefined) {
    this.#release = release
  }

  /**
   * @param folder of the release; without one nothing has an owner
   * @throws EngineError corrupt_source
   */
  static async open(folder: string | undefined): Promise<Owners> {
    return new Owners(folder === undefined ? undefined : await Release.open(folder))
  }

  /** `undefined` for an id that no record has, and for a record without a project. */
  async of(dataset: 'annotations' | 'cases', id: string): Promise<string | undefined> {
    const document = await this.#read(dataset, id)
    if (!document) return undefined
    const project = isObject(document.project) ? textIn(document.project.project_id) : undefined
    const caseId = dataset === 'annotations' ? textIn(document.case_id) : undefined
    return project ?? (caseId === undefined ? undefined : this.of('cases', caseId))
  }

  async #read(dataset: 'annotations' | 'cases', id: string): Promise<JsonObject | undefined> {
    const row = await this.#release?.find(dataset, id)
    if (!this.#release || row === undefined) return undefined
    const reader = new DocumentReader(await this.#release.documents(dataset))
    const [text] = reader.read(Uint32Array.of(row))
    return text === undefined ? undefined : JSON.parse(text)
  }

  async close(): Promise<void> {
    await this.#release?.close()
  }
}
