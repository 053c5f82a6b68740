/** Attributes of an element as written, keyed by name. */
export type Attributes = Readonly<Record<string, string>>

/** Returns the parser's message without its position, which is reported in our own form. */
export const messageOf = ({ message }: Error): string => message.replace(/^\d+:\d+: /, '')

const MAX_SHOWN = 60

/** Shortens a name from the file for an error message. */
export const shown = (name: string): string =>
  name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}...` : name

/**
 * Returns the same text in compact form. The parser joins texts from parts, one per line ending or entity, and
 * V8 keeps about 30 bytes per part until a character is accessed.
 */
export const compact = (text: string): string => (Number.isNaN(text.charCodeAt(0)) ? '' : text)
