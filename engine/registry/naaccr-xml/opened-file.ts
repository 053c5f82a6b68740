import type { Definitions } from './dictionary.ts'
import type { FileForm } from './file-form.ts'
import type { FileHead, ItemFault } from './model.ts'
import type { Splitter } from './split-file.ts'

/** A file whose head has been read: the root element of NAACCR XML, or the first line of fixed columns. */
export interface OpenedFile extends Pick<FileForm, 'kind' | 'head'> {
  readonly head: FileHead
  readonly definitions: Definitions
  /** Namespace prefix of the standard's own elements; empty for the default namespace. */
  readonly prefix: string
  /** Namespace prefixes of foreign elements. */
  readonly otherPrefixes?: ReadonlySet<string>
  readonly isXml11?: boolean
  /** Faults of the root that are not a reason to refuse the file. */
  readonly faults: readonly ItemFault[]
  readonly splitter: Splitter
}
