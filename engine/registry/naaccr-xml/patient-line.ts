import type { ItemFault } from './model.ts'
import type { ItemValues } from './stage-tumor.ts'

/** A patient with the items that rules read. */
export interface PatientLine {
  /** 1-based line in the file. */
  readonly line: number
  readonly items: ItemValues
  readonly tumors: readonly { readonly line: number; readonly items: ItemValues }[]
  readonly faults: readonly ItemFault[]
}

/** Returns an object with the value of one item, or without members if the item has none. */
export const named = <Name extends string>(items: ItemValues, name: Name) =>
  (items[name] === undefined ? {} : { [name]: items[name] }) as { readonly [K in Name]?: string }
