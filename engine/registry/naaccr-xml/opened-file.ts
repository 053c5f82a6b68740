import type { Definitions } from './dictionary.ts'
import type { FileHead, ItemFault, Patient } from './model.ts'

/** A file whose head has been read: the root element of NAACCR XML, or the first line of fixed columns. */
export interface OpenedFile {
  readonly head: FileHead
  readonly definitions: Definitions
  /** Namespace prefix of the standard's own elements, including the colon, or empty. */
  readonly prefix: string
  /**
   * Yields the patients in blocks while the file is read. Call it once. If it throws, all complete patients
   * have been yielded before.
   * @throws EngineError `bad_input`, naming line and path
   */
  patients(): AsyncGenerator<readonly Patient[]>
  /** Returns faults of items outside patients, once all patients have been read. */
  rootFaults(): readonly ItemFault[]
  /** Returns the line on which the next patient starts, as far as it is known. */
  nextLine(): number
  /** Returns the text after the last patient, once all have been read. Empty unless texts are kept. */
  rest(): string
}
