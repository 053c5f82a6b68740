import type { Executor } from '../../shared/executor.ts'
import { Dictionary, OWN_DICTIONARY } from './dictionary.ts'
import type { DictionaryIssue } from './issues.ts'

/** The dictionary in use. It is read on first use and never changes afterwards. */
export class LoadedDictionary {
  readonly folder: string
  readonly #executor: Executor
  #loaded: Promise<Dictionary> | undefined

  /** @param folder folder of a custom dictionary. Defaults to the built-in one. */
  constructor(executor: Executor, folder: string = OWN_DICTIONARY) {
    this.folder = folder
    this.#executor = executor
  }

  /** Whether a custom dictionary replaces the built-in one. */
  get isReplaced(): boolean {
    return this.folder !== OWN_DICTIONARY
  }

  /** Reads the folder again. Returns all problems of the dictionary. */
  issues(): Promise<readonly DictionaryIssue[]> {
    return Dictionary.issuesOf(this.folder, this.#executor)
  }

  /**
   * Returns the dictionary.
   * @throws EngineError as Dictionary.load
   */
  async current(): Promise<Dictionary> {
    this.#loaded ??= Dictionary.load(this.folder, this.#executor)
    try {
      return await this.#loaded
    } catch (error) {
      // A failure may be temporary, such as a full queue, so it is not cached.
      this.#loaded = undefined
      throw error
    }
  }
}
