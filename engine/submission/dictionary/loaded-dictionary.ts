import type { Executor } from '../../shared/executor.ts'
import { Dictionary, OWN_DICTIONARY } from './dictionary.ts'
import type { DictionaryIssue } from './issues.ts'

/** The dictionary in use: read when it is first wanted, and the same from then on. */
export class LoadedDictionary {
  readonly folder: string
  readonly #executor: Executor
  #loaded: Promise<Dictionary> | undefined

  /** @param folder a dictionary of the user's own; absent: the project's */
  constructor(executor: Executor, folder: string = OWN_DICTIONARY) {
    this.folder = folder
    this.#executor = executor
  }

  /** Whether it is a dictionary of the user's own. */
  get isReplaced(): boolean {
    return this.folder !== OWN_DICTIONARY
  }

  /** Everything that is wrong with its folder, read anew. */
  issues(): Promise<readonly DictionaryIssue[]> {
    return Dictionary.issuesOf(this.folder, this.#executor)
  }

  /** @throws EngineError as Dictionary.load */
  async current(): Promise<Dictionary> {
    this.#loaded ??= Dictionary.load(this.folder, this.#executor)
    try {
      return await this.#loaded
    } catch (error) {
      // A queue that was full is no reason never to try again.
      this.#loaded = undefined
      throw error
    }
  }
}
