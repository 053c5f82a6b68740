import type { Alignment } from './alignment.ts'
import type { ExtentContext, Item, Range } from './extent.ts'
import { copyKnown } from './known-extent.ts'
import { copyUnknown } from './unknown-extent.ts'

/**
 * Copies the blocks in a range of the file, extent by extent. Each block is verified before it is sent. If its
 * checksum is recorded, the bytes are compared with it; otherwise a thread inflates and verifies the block.
 */
export function copyExtents(
  alignment: Alignment,
  range: Range,
  context: ExtentContext,
): AsyncGenerator<Item> | Generator<Item> {
  const { directory } = alignment
  // A range located through the index may extend beyond the directory's last block.
  return directory && range.end <= directory.blockOffset.at(-1)!
    ? copyKnown(alignment, directory, range, context)
    : copyUnknown(alignment, range, context)
}
