/**
 * Returns a `Content-Disposition` for a file to save. The name is not quoted, because real clients cut at `=`
 * and use the rest verbatim (data-commons.md 5.2 and 11.15).
 * @example attachment('demo_slice.bam') // 'attachment; filename=demo_slice.bam'
 */
export function attachment(fileName: string): string {
  // Line breaks and control characters are removed instead of encoded, so that no client decodes them.
  const name = fileName.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '') || 'download'
  const plain = name.replace(/[^A-Za-z0-9._\-+@=]/gu, '_')
  if (plain === name) return `attachment; filename=${name}`
  // encodeURIComponent leaves four characters that RFC 8187 does not allow.
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  // The plain name is last, because some clients take everything after `filename=`.
  return `attachment; filename*=UTF-8''${encoded}; filename=${plain}`
}
