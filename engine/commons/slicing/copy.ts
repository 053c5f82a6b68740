import type { Alignment } from './alignment.ts'
import { copyKnown } from './known-stretch.ts'
import type { Item, Range, StretchContext } from './stretch.ts'
import { copyUnknown } from './unknown-stretch.ts'

/**
 * Copies the blocks in a range of the file, stretch by stretch. Each block is proved before it is
 * put out: by its checksum when it was proved before, in full by a thread otherwise.
 */
export function copyStretches(
  alignment: Alignment,
  range: Range,
  context: StretchContext,
): AsyncGenerator<Item> | Generator<Item> {
  const { directory } = alignment
  // A range that was located by the index may reach behind the directory's last block.
  return directory && range.end <= directory.blockOffset.at(-1)!
    ? copyKnown(alignment, directory, range, context)
    : copyUnknown(alignment, range, context)
}
