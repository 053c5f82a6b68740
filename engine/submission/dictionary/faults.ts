/** Something that is wrong with a file of a dictionary. */
export interface Fault {
  readonly file: string
  /** Where in the file, such as `links[0].target_type`; empty for the whole of it. */
  readonly place: string
  /** What is there, and what would be accepted. */
  readonly problem: string
}

/** More of them say nothing new about a folder. */
const MAX_FAULTS = 100

/** What is wrong with a dictionary, all of it: whoever writes one wants to know at once. */
export class Faults {
  readonly #found: Fault[] = []

  add(file: string, place: string, problem: string): void {
    if (this.#found.length < MAX_FAULTS) this.#found.push({ file, place, problem })
  }

  get all(): readonly Fault[] {
    return this.#found
  }
}

/** A fault as a sentence. */
export function toldFault({ file, place, problem }: Fault): string {
  return [file, place, problem].filter((part) => part !== '').join(': ')
}

/** A value of a file in a message; long ones are cut. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
