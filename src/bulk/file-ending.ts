/** File extensions by media type; https://www.iana.org/assignments/media-types defines the types. */
const endings: Readonly<Record<string, string>> = {
  'application/dicom': 'dcm',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'application/xml': 'xml',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'weba',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/tiff': 'tiff',
  'image/webp': 'webp',
  'text/html': 'html',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
  'video/mpeg': 'mpeg',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
};

/** The usual file extension of a media type, without the dot; `bin` if it is unknown. */
export function fileEnding(contentType: string): string {
  const [type = ''] = contentType.split(';');
  return endings[type.trim().toLowerCase()] ?? 'bin';
}
