import type { ItemDefinition } from './dictionary.ts'
import type { FileHead } from './model.ts'

/** Settings by which a thread reads the blocks of a file. They can be sent as JSON. */
export interface FileForm {
  readonly kind: 'xml' | 'fixed'
  readonly head: FileHead
  readonly items: readonly ItemDefinition[]
  /** Namespace prefix of the standard's own elements; empty for the default namespace. */
  readonly prefix: string
  /** Namespace prefixes of foreign elements. */
  readonly otherPrefixes: readonly string[]
  readonly isXml11: boolean
  /** Whether an item that is misplaced, duplicated or malformed ends the file. */
  readonly strict: boolean
  /** Ids of items whose values are needed. */
  readonly used: readonly string[]
  /** Ids of items whose positions are needed. Patients include their texts if this is set. */
  readonly replaceable?: readonly string[] | undefined
}
