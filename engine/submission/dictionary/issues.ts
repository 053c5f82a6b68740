/** A problem in a file of a dictionary. */
export interface DictionaryIssue {
  readonly file: string
  /** Path in the file, such as `links[0].target_type`, or empty for the whole file. */
  readonly place: string
  readonly message: string
}

/** Maximum number of problems that are reported. */
const MAX_ISSUES = 100

/** Collects all problems of a dictionary, so that its author sees all of them at once. */
export class DictionaryIssues {
  readonly #found: DictionaryIssue[] = []

  add(file: string, place: string, message: string): void {
    if (this.#found.length < MAX_ISSUES) this.#found.push({ file, place, message })
  }

  get all(): readonly DictionaryIssue[] {
    return this.#found
  }
}

/** Formats a problem as a sentence. */
export function issueText({ file, place, message }: DictionaryIssue): string {
  return [file, place, message].filter((part) => part !== '').join(': ')
}

/** Formats a value as JSON for a message, shortened. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
