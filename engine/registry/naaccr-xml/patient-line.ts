import type { ItemFault } from './model.ts'
import type { ItemValues } from './stage-tumor.ts'

/** A patient as a line of JSON, sent to a thread. The line number comes first, so that `lineNumberIn` finds it. */
export interface PatientLine {
  /** 1-based line in the file. */
  readonly line: number
  readonly items: ItemValues
  readonly tumors: readonly { readonly line: number; readonly items: ItemValues }[]
  readonly faults: readonly ItemFault[]
}

/** Returns the line number from the start of a PatientLine, or undefined for any other text. */
export function lineNumberIn(start: string): number | undefined {
  const [, line] = /^\{"line":(\d+)/.exec(start) ?? []
  return line === undefined ? undefined : Number(line)
}

/** Returns an object with the value of one item, or without members if the item has none. */
export const named = <Name extends string>(items: ItemValues, name: Name) =>
  (items[name] === undefined ? {} : { [name]: items[name] }) as { readonly [K in Name]?: string }
