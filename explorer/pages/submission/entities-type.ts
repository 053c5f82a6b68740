/** Returns the content type of a document of entities, by its first characters. */
export function typeOfEntities(text: string): string {
  const start = text.trimStart()
  if (start.startsWith('{') || start.startsWith('[')) return 'application/json'
  const [header = ''] = start.split('\n', 1)
  return header.includes('\t') ? 'text/tab-separated-values' : 'text/csv'
}
