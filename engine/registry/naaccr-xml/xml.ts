/** The attributes of an element by their names, as they are written. */
export type Attributes = Readonly<Record<string, string>>

/** What the parser says, without the place, which is told in our own way. */
export const messageOf = ({ message }: Error): string => message.replace(/^\d+:\d+: /, '')

const MAX_SHOWN = 60

/** A name of the file, for a message: not more of it than any name has. */
export const shown = (name: string): string =>
  name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}...` : name

/**
 * The same text in one piece. The parser makes it of parts, one for each line end or entity of it, and V8 keeps
 * thirty bytes for each until somebody looks at a character.
 */
export const compact = (text: string): string => (Number.isNaN(text.charCodeAt(0)) ? '' : text)
