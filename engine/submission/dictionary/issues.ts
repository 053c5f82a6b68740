/** Something that is wrong with a file of a dictionary. */
export interface DictionaryIssue {
  readonly file: string
  /** Where in the file, such as `links[0].target_type`; empty for the whole of it. */
  readonly place: string
  /** What is there, and what would be accepted. */
  readonly message: string
}

/** More of them say nothing new about a folder. */
const MAX_ISSUES = 100

/** What is wrong with a dictionary, all of it: whoever writes one wants to know at once. */
export class DictionaryIssues {
  readonly #found: DictionaryIssue[] = []

  add(file: string, place: string, message: string): void {
    if (this.#found.length < MAX_ISSUES) this.#found.push({ file, place, message })
  }

  get all(): readonly DictionaryIssue[] {
    return this.#found
  }
}

/** An issue as a sentence. */
export function issueText({ file, place, message }: DictionaryIssue): string {
  return [file, place, message].filter((part) => part !== '').join(': ')
}

/** A value of a file in a message; long ones are cut. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
