import { TextLink } from '@clarion/ui';

/** A line that is a URL is shown as a link. */
export const MailText = ({ text }: { text: string }) => (
  <div className="flex flex-col gap-3 text-md">
    {text
      .trim()
      .split(/\n\n+/)
      .map((paragraph) => (
        <p key={paragraph} className="break-words whitespace-pre-line">
          {/^https?:\/\/\S+$/.test(paragraph) ? (
            <TextLink href={paragraph} className="break-all">
              {paragraph}
            </TextLink>
          ) : (
            paragraph
          )}
        </p>
      ))}
  </div>
);
