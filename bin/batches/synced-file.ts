import { open } from 'node:fs/promises'

/** Writes a new file. It is durable when this resolves. */
export async function writeSynced(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  await using file = await open(path, 'wx')
  const chunks = content instanceof Uint8Array ? [content] : content
  for await (const chunk of chunks) await file.writeFile(chunk)
  await file.sync()
}
