/**
 * Whether some browsers cannot play a file that is taken, by its first and last bytes as Latin-1: Ogg (Safari since 18.4) and Opus
 * in M4A (17), MP3 in WAV, a WAV of 64 bits or of unknown length 0, a tag before WAV, FLAC or Ogg.
 */
export const isRareCoding = (head: string, tail: string): boolean =>
  /^(OggS|RF64|BW64)/.test(head) ||
  /^(ID3|APETAGEX)[^]*(OggS|fLaC|RIFF[^]{4}WAVE)/.test(head) ||
  (head.startsWith('RIFF') && (/fmt [^]{4}U\0/.test(head) || head.includes('data\0\0\0\0'))) ||
  // the description of an MP4's tracks is near its beginning or its end
  (head.slice(4, 8) === 'ftyp' && /stsd[^]{12}Opus/.test(head + tail))
