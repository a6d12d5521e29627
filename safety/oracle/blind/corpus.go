// Package blind expands corpora whose authors have not read the rules of the safety
// layer. Such a corpus measures how well the rules generalize; a corpus written beside
// the rules measures only that they do what their author meant.
//
// A corpus is a folder with three UTF-8 files. Fields are separated by tabs; blank lines
// and lines that begin with # are skipped.
//
//	families.txt  id, class, expression, setting names, words for prose, source
//	contexts.txt  kind, template
//	clean.txt     kind, template
//
// A family is one kind of credential. Its expression (regexp syntax, bounded) generates
// the token; a capture group in it marks the part that must not be seen, such as the
// password of a connection string; a family with a group is never put into a URL or a
// header that a context begins. The setting names and words are lists with commas.
// The class is self, for tokens that their own shape identifies, or named, for tokens
// that only a name beside them identifies.
//
// The kind of a template is sentence, setting, code, command or log. A context contains
// {secret} once, and may contain {SETTING}, {setting} (lower case), {Setting} (camel
// case) and {words}. Contexts without a name are used for the class self only. A clean
// template is a harmless text. In both, {~expression~} is replaced by random text, and
// \n, \t and \\ are escapes.
//
// [Load] reads and checks a folder. [Corpus.Secrets] and [Corpus.CleanTexts] expand it,
// always in the same way for the same seed. The files contain expressions only, so that
// the repository holds no text that looks like a credential.
package blind

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Kinds are the kinds of templates, in the order in which Secrets uses them.
var Kinds = []string{"sentence", "setting", "code", "command", "log"}

// Classes are the classes of families.
var Classes = []string{"self", "named"}

// Family is one kind of credential.
type Family struct {
	ID, Class, Source string
	Settings, Words   []string       // at least one each
	expression        *regexp.Regexp // anchored at both ends, with at most one group
	source            string         // the expression as it is in the file
}

// Template is a text with placeholders. See the package comment for their forms.
type Template struct{ Kind, Text string }

// Corpus is a checked folder. Each kind has a context for each class.
type Corpus struct {
	Families        []Family
	Contexts, Clean []Template
}

// Load reads the corpus in dir. The error names the file and line of the first mistake.
func Load(dir string) (*Corpus, error) {
	c := &Corpus{}
	ids := map[string]bool{}
	err := readLines(filepath.Join(dir, "families.txt"), 6, func(fields []string) error {
		f, err := newFamily(fields)
		if err == nil && ids[f.ID] {
			err = fmt.Errorf("family %s is listed twice", f.ID)
		}
		ids[f.ID] = true
		c.Families = append(c.Families, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	if c.Contexts, err = readTemplates(filepath.Join(dir, "contexts.txt"), 1); err != nil {
		return nil, err
	}
	if c.Clean, err = readTemplates(filepath.Join(dir, "clean.txt"), 0); err != nil {
		return nil, err
	}
	for _, kind := range Kinds {
		usable := func(t Template) bool { return t.Kind == kind && t.isNamed() && !t.isEnclosing() }
		if !slices.ContainsFunc(c.Contexts, usable) {
			return nil, fmt.Errorf("contexts.txt has no template of kind %s with a name and without a URL", kind)
		}
	}
	return c, nil
}

// readLines calls add with the fields of each line of the file that has content.
func readLines(path string, fields int, add func([]string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) != fields {
			err = fmt.Errorf("%d fields instead of %d", len(parts), fields)
		} else {
			err = add(parts)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return lines.Err()
}

// newFamily checks the fields of one line of families.txt.
func newFamily(fields []string) (Family, error) {
	f := Family{ID: fields[0], Class: fields[1], source: fields[2], Source: fields[5],
		Settings: splitList(fields[3]), Words: splitList(fields[4])}
	var err error
	switch f.expression, err = regexp.Compile(`\A(?:` + f.source + `)\z`); {
	case err != nil:
		return f, err
	case !slices.Contains(Classes, f.Class):
		return f, fmt.Errorf("unknown class %q", f.Class)
	case f.expression.NumSubexp() > 1:
		return f, fmt.Errorf("expression %s has more than one capture group", f.source)
	case len(f.Settings) == 0 || len(f.Words) == 0:
		return f, fmt.Errorf("family %s needs a setting name and words", f.ID)
	}
	return f, nil
}

// splitList returns the elements of a list with commas, without empty ones.
func splitList(list string) []string {
	parts := strings.Split(list, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

// readTemplates reads a file of templates, each with the given number of secrets.
func readTemplates(path string, secrets int) ([]Template, error) {
	var templates []Template
	err := readLines(path, 2, func(fields []string) error {
		t := Template{Kind: fields[0], Text: fields[1]}
		templates = append(templates, t)
		if !slices.Contains(Kinds, t.Kind) {
			return fmt.Errorf("unknown kind %q", t.Kind)
		}
		if n := strings.Count(t.Text, "{secret}"); n != secrets {
			return fmt.Errorf("{secret} occurs %d times instead of %d", n, secrets)
		}
		for _, part := range fills.FindAllStringSubmatch(t.Text, -1) {
			if _, err := regexp.Compile(part[1]); err != nil {
				return err
			}
		}
		return nil
	})
	return templates, err
}

// fills matches the parts of a template that random text replaces.
var fills = regexp.MustCompile(`\{~(.*?)~\}`)

// names matches the placeholders that say what the secret is.
var names = regexp.MustCompile(`\{(?:SETTING|setting|Setting|words)\}`)

// isNamed reports whether the template says what the secret is.
func (t Template) isNamed() bool { return names.MatchString(t.Text) }

// enclosure matches the part of a template in which only a bare token makes sense: the
// inside of a URL and the value of an authentication header or option.
var enclosure = regexp.MustCompile(`(?:://\S*|Bearer |token |-u user:|-Key: )\{secret\}`)

// isEnclosing reports whether the template puts the secret into a URL or a header.
func (t Template) isEnclosing() bool { return enclosure.MatchString(t.Text) }

// fits reports whether a secret of the family can stand in the template.
func (f Family) fits(t Template) bool {
	return (f.Class != "named" || t.isNamed()) && (f.expression.NumSubexp() == 0 || !t.isEnclosing())
}
