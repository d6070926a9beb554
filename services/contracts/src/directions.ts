/**
 * A mark in place of characters that change the direction of the text around them: in a name or a text of a person they can
 * make what the operator reads differ from what is there. The invisible marks U+200E, U+200F and U+061C stay: texts in
 * Arabic and Hebrew often hold them, and they give no other text another direction.
 */
export const markDirections = (text: string): string =>
  text.replace(/[\u202A-\u202E\u2066-\u2069]/g, '\uFFFD')
